"""The whole service: its parts under one name, as the API calls it."""

from engine.service.agents import AgentService
from engine.service.documents import DocumentService
from engine.service.messages import MessageService
from engine.service.office import Office
from engine.service.plans import PlanService
from engine.service.policy import PolicyService
from engine.service.projects import ProjectService
from engine.service.sessions import SessionService
from engine.service.voice import VoiceService


class Service(
    ProjectService,
    AgentService,
    MessageService,
    PlanService,
    SessionService,
    DocumentService,
    PolicyService,
    VoiceService,
):
    """Every request, by noun; each part holds the office and nothing else."""

    def __init__(self, office: Office) -> None:
        ProjectService.__init__(self, office)
        PlanService.__init__(self, office, MessageService(office))
        PolicyService.__init__(self, office)
