"""Puts the services of the area together: what Framework has of it."""

from collections.abc import Iterable

from locframework.access.service import Access
from locframework.events import EventLog
from locframework.fields import Clock
from locframework.projects.service import Projects
from locframework.settings import WebhookSettings

from .bookkeeping import Bookkeeping
from .deliveries import Deliveries
from .dispatcher import Dispatcher
from .event_types import EventTypes
from .fan_out import FanOut
from .numbers import WebhookNumbers
from .plugin_events import PluginEvents
from .records import EventType
from .sealing import SecretBox
from .sender import Sender
from .service import Webhooks
from .store import WebhookStorage
from .transport import Transport


class WebhookArea:
    """The services of webhooks, over one storage; they hear every event."""

    def __init__(
        self,
        storage: WebhookStorage,
        access: Access,
        projects: Projects,
        events: EventLog,
        transport: Transport,
        types_of_plugins: Iterable[EventType],
        settings: WebhookSettings,
        clock: Clock,
    ) -> None:
        """Raises SettingsError for a key that is none."""
        types = EventTypes(types_of_plugins)
        box = SecretBox(settings.secret_key, settings.old_secret_keys)
        self.webhooks = Webhooks(
            storage, access, projects, types, transport, box, clock
        )
        self.dispatcher = Dispatcher(
            storage,
            Sender(transport, box, clock),
            Bookkeeping(storage, events, clock),
            clock,
            senders=settings.senders,
        )
        wake = self.dispatcher.wake
        self.deliveries = Deliveries(storage, projects, self.webhooks, wake, clock)
        self.numbers = WebhookNumbers(storage.webhooks, self.dispatcher, clock)
        self.plugin_events = PluginEvents(storage, events, types)
        events.listen_inside(FanOut(storage, wake).on_event, subscriber="webhooks")
