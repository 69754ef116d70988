"""Routes, one noun a module. They translate; they decide nothing."""
