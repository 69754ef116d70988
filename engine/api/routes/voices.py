"""Voice: the steps of consent, what it tells of itself, and what the page asks of it."""

from fastapi import APIRouter, Response

from engine.api.answers import answer
from engine.api.bodies import Heard, Id, Played, ReadingOf, VoiceCommand, VoiceState
from engine.api.routes.context import Service

router = APIRouter(prefix="/api/voice")


@router.post("/sessions")
async def voice_session(service: Service) -> Response:
    return answer(await service.voice_session())


@router.post("/sessions/{session}/reading")
async def voice_reading(service: Service, session: Id, body: ReadingOf) -> Response:
    return answer(await service.voice_reading(session=session, **body.model_dump()))


@router.post("/sessions/{session}/played")
async def voice_played(service: Service, session: Id, body: Played) -> Response:
    return answer(await service.voice_played(session=session, reading_id=body.reading_id))


@router.post("/sessions/{session}/heard")
async def voice_heard(service: Service, session: Id, body: Heard) -> Response:
    nothing_more = None if body.others else {"others"}
    return answer(await service.voice_heard(session=session, **body.model_dump(exclude=nothing_more)))


@router.put("/state")
async def voice_state(service: Service, body: VoiceState) -> Response:
    await service.voice_state(**body.model_dump(exclude_unset=True))
    return answer({})


@router.post("/command")
async def voice_command(service: Service, body: VoiceCommand) -> Response:
    await service.voice_command(action=body.action)
    return answer({})
