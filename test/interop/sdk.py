"""The official Python SDK's client against this server: `python sdk.py URL [SCHEME CREDENTIAL]`.

One line a check; the exit code is 1 where one failed.
"""

import asyncio
import base64
import contextlib
import json
import sys
import threading
import traceback
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import grpc.aio
import httpx
from a2a.client import AuthInterceptor, ClientConfig, ClientFactory, CredentialService
from a2a.client.client import ClientCallContext
from a2a.types.a2a_pb2 import (
    CancelTaskRequest,
    DeleteTaskPushNotificationConfigRequest,
    GetExtendedAgentCardRequest,
    GetTaskPushNotificationConfigRequest,
    GetTaskRequest,
    ListTaskPushNotificationConfigsRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskPushNotificationConfig,
    TaskState,
)
from a2a.utils.errors import TaskNotCancelableError, TaskNotFoundError

KEDI = "https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/"
BINDINGS = ("JSONRPC", "HTTP+JSON", "GRPC")
TERMINAL = {
    TaskState.TASK_STATE_COMPLETED,
    TaskState.TASK_STATE_FAILED,
    TaskState.TASK_STATE_CANCELED,
    TaskState.TASK_STATE_REJECTED,
}


class OneCredential(CredentialService):
    """The same credential for every scheme."""

    def __init__(self, credential):
        self.credential = credential

    async def get_credentials(self, security_scheme_name, context):
        return self.credential


async def connect(url, binding, *, streaming=True, credential=None):
    factory = ClientFactory(
        ClientConfig(
            streaming=streaming,
            httpx_client=httpx.AsyncClient(timeout=30),
            grpc_channel_factory=grpc.aio.insecure_channel,
            supported_protocol_bindings=[binding],
            use_client_preference=True,
        )
    )
    interceptors = [] if credential is None else [AuthInterceptor(OneCredential(credential))]
    return await factory.create_from_url(url, interceptors=interceptors)


def ask(scenario="tck-complete-task", text="hello", **more):
    message = Message(
        message_id=f"{scenario}-{uuid.uuid4()}",
        role=Role.ROLE_USER,
        parts=[Part(text=text)],
        **{key: more.pop(key) for key in ("task_id", "context_id", "extensions") if key in more},
    )
    return SendMessageRequest(message=message, **more)


async def send(client, request, context=None):
    """Every event of a message, which is one where the client does not stream."""
    return [event async for event in client.send_message(request, context=context)]


async def task_of(client, request):
    """The id of the task that a message made, and how it stood at the end."""
    events = await send(client, request)
    first = events[0]
    assert first.HasField("task"), first
    return await client.get_task(GetTaskRequest(id=first.task.id))


def text_of(task):
    return "".join(part.text for artifact in task.artifacts for part in artifact.parts)


def at_once():
    return SendMessageConfiguration(return_immediately=True)


async def text(client, polling):
    for one in (client, polling):
        task = await task_of(one, ask("tck-artifact-text"))
        assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
        assert text_of(task) == "Generated text content", task
    [event] = await send(polling, ask("tck-message-response"))
    assert event.message.parts[0].text == "Direct message response", event


async def typed(client, polling):
    document = '{ "id": 9007199254740993, "price": 78.0,\n  "name": "\u00e4\u20ac" }'
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "const": 9007199254740993},
            "price": {"type": "number"},
            "name": {"type": "string"},
        },
        "required": ["id", "price", "name"],
        "additionalProperties": False,
    }
    for one in (client, polling):
        request = ask(
            text=document,
            extensions=[KEDI],
            configuration=SendMessageConfiguration(accepted_output_modes=["application/json"]),
        )
        request.metadata.update(
            {
                "kediStructuredOutput": {
                    "version": 1,
                    "resultEncoding": "json-utf8",
                    "schemaJson": json.dumps(schema),
                }
            }
        )
        context = ClientCallContext(service_parameters={"A2A-Extensions": KEDI})
        events = await send(one, request, context)
        task = await one.get_task(GetTaskRequest(id=events[0].task.id))
        assert task.status.state == TaskState.TASK_STATE_COMPLETED, task
        [artifact] = task.artifacts
        assert artifact.name == "kedi-structured-output" and list(artifact.extensions) == [KEDI], artifact
        [part] = artifact.parts
        assert part.media_type == "application/json" and part.raw == document.encode(), part
        streamed = [event.artifact_update.artifact for event in events if event.HasField("artifact_update")]
        assert all(one.parts[0].raw == document.encode() for one in streamed), streamed
        assert json.loads(part.raw)["id"] == 9007199254740993


async def stream(client, _):
    events = await send(client, ask("tck-stream-artifact-chunked"))
    assert events[0].HasField("task"), events
    chunks = [event.artifact_update for event in events if event.HasField("artifact_update")]
    assert [chunk.artifact.parts[0].text for chunk in chunks] == ["chunk-1 ", "chunk-2"], chunks
    assert [chunk.append for chunk in chunks] == [False, True] and chunks[-1].last_chunk
    assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED, events[-1]


async def get(client, _):
    task = await task_of(client, ask("tck-input-required", text="first"))
    assert task.status.state == TaskState.TASK_STATE_INPUT_REQUIRED, task
    task = await task_of(client, ask(text="second", task_id=task.id))
    said = [part.text for message in task.history for part in message.parts if message.role == Role.ROLE_USER]
    assert said == ["first", "second"], task.history
    short = await client.get_task(GetTaskRequest(id=task.id, history_length=1))
    assert len(short.history) == 1, short
    with raises(TaskNotFoundError):
        await client.get_task(GetTaskRequest(id="nowhere"))


async def list_(client, _):
    first = await task_of(client, ask())
    second = await task_of(client, ask(context_id=first.context_id))
    page = await client.list_tasks(ListTasksRequest(context_id=first.context_id, page_size=1))
    assert [task.id for task in page.tasks] == [second.id] and page.total_size == 2, page
    page = await client.list_tasks(
        ListTasksRequest(
            context_id=first.context_id, page_size=1, page_token=page.next_page_token, include_artifacts=True
        )
    )
    assert [task.id for task in page.tasks] == [first.id] and page.next_page_token == "", page
    assert text_of(page.tasks[0]) == "Hello from TCK", page


async def cancel(_, polling):
    [event] = await send(polling, ask("test-resubscribe-message-id", configuration=at_once()))
    task = await polling.cancel_task(CancelTaskRequest(id=event.task.id))
    assert task.status.state == TaskState.TASK_STATE_CANCELED, task
    with raises(TaskNotCancelableError):
        await polling.cancel_task(CancelTaskRequest(id=event.task.id))


async def subscribe(client, polling):
    [event] = await send(polling, ask("test-resubscribe-message-id", configuration=at_once()))
    states = []
    first = None
    async for event in client.subscribe(SubscribeToTaskRequest(id=event.task.id)):
        first = first or event
        if event.HasField("status_update"):
            states.append(event.status_update.status.state)
    assert first.HasField("task"), first
    assert states[-1] == TaskState.TASK_STATE_COMPLETED, states


async def push(client, polling):
    received = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.headers, json.loads(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        task = await task_of(client, ask("tck-input-required"))
        config = await client.create_task_push_notification_config(
            TaskPushNotificationConfig(
                task_id=task.id, id="mine", url=f"http://127.0.0.1:{server.server_port}/hook", token="a-token"
            )
        )
        assert config.id == "mine", config
        got = await client.get_task_push_notification_config(
            GetTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
        )
        assert got.url == config.url, got
        listed = await client.list_task_push_notification_configs(
            ListTaskPushNotificationConfigsRequest(task_id=task.id)
        )
        assert [one.id for one in listed.configs] == ["mine"], listed
        await send(polling, ask(task_id=task.id))
        for _ in range(200):
            states = [body.get("statusUpdate", {}).get("status", {}).get("state") for _, body in received]
            if "TASK_STATE_COMPLETED" in states:
                break
            await asyncio.sleep(0.05)
        else:
            raise AssertionError(f"no notification of the end: {received}")
        assert all(headers["X-A2A-Notification-Token"] == "a-token" for headers, _ in received), received
        for _ in range(2):
            await client.delete_task_push_notification_config(
                DeleteTaskPushNotificationConfigRequest(task_id=task.id, id="mine")
            )
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def raises(kind):
    try:
        yield
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was expected")


CHECKS = {
    "text": text,
    "typed": typed,
    "stream": stream,
    "get": get,
    "list": list_,
    "cancel": cancel,
    "subscribe": subscribe,
    "push": push,
}


async def without_credentials(url, binding):
    for name, check in CHECKS.items():
        async with await connect(url, binding) as client, await connect(url, binding, streaming=False) as polling:
            yield name, lambda: check(client, polling)


async def with_credentials(url, binding, scheme, credential):
    """The SDK has an interceptor for bearer tokens and API keys; Basic is a header of the caller's own."""

    def headers(value):
        encoded = base64.b64encode(value.encode()).decode()
        return ClientCallContext(service_parameters={"Authorization": f"Basic {encoded}"})

    async def right():
        if scheme == "basic":
            async with await connect(url, binding) as client:
                events = await send(client, ask(), headers(credential))
                await client.get_extended_agent_card(GetExtendedAgentCardRequest(), context=headers(credential))
        else:
            async with await connect(url, binding, credential=credential) as client:
                events = await send(client, ask())
                await client.get_extended_agent_card(GetExtendedAgentCardRequest())
        assert events[-1].status_update.status.state == TaskState.TASK_STATE_COMPLETED, events

    async def wrong():
        for value in (None, f"{credential}x"):
            async with await connect(url, binding, credential=None if scheme == "basic" else value) as client:
                context = headers(value) if scheme == "basic" and value else None
                try:
                    events = await send(client, ask(), context)
                except Exception as error:
                    assert "401" in str(error) or "UNAUTHENTICATED" in str(error), repr(error)
                else:
                    raise AssertionError(f"let in with {value}: {events}")

    yield f"{scheme}: the right credential", right
    yield f"{scheme}: none, and a wrong one", wrong


async def main(url, scheme=None, credential=None):
    failed = 0
    for binding in BINDINGS:
        checks = (
            without_credentials(url, binding)
            if scheme is None
            else with_credentials(url, binding, scheme, credential)
        )
        async for name, check in checks:
            try:
                await asyncio.wait_for(check(), 60)
                print(f"ok {binding} {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED {binding} {name}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
