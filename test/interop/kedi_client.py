"""Kedi itself against this server: `python kedi_client.py URL [SCHEME CREDENTIAL]`, with the demo agent, which answers typed
requests by sample data that is valid against their schema.

One line a check; the exit code is 1 where one failed.
"""

import os
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Literal, Optional

from kedi.agent_adapter import A2AAdapter
from kedi.agent_profile import A2AAuthConfig, A2AConnection
from pydantic import BaseModel

SECRET = "KEDI_INTEROP_SECRET"


class Owner(BaseModel):
    name: str
    email: Optional[str] = None


class Finding(BaseModel):
    summary: str
    owner: Owner
    risks: list[str]
    severity: Literal["low", "high"]
    serial: Literal[9007199254740993]
    score: float


def connection_of(url, scheme, credential):
    if scheme is None:
        return A2AConnection(endpoint=url, task_timeout=60)
    name, _, password = credential.partition(":")
    os.environ[SECRET] = password if scheme == "basic" else credential
    more = {
        "bearer": {},
        "basic": {"username": name},
        "api_key": {"header": "X-Interop-Key"},
    }[scheme]
    auth = A2AAuthConfig(scheme=scheme, secret_env=SECRET, **more)
    return A2AConnection(endpoint=url, auth=auth, task_timeout=60)


def said(result):
    """What an invocation answered, whether it is a text or an object that holds one."""
    return result if isinstance(result, str) else getattr(result, "output", str(result))


def invoke(agent):
    assert said(agent.invoke_sync(prompt="Say something.")).strip()


def produce(agent):
    found = agent.produce_sync(
        "The evidence supports [summary], kept by [owner], with the risks [risks].", output_type=Finding
    )
    found = found if isinstance(found, Finding) else found.output
    assert isinstance(found, Finding) and isinstance(found.owner, Owner), found
    assert found.serial == 9007199254740993 and found.severity in ("low", "high"), found
    assert isinstance(found.score, float) and all(isinstance(risk, str) for risk in found.risks), found


AUTH = {
    "bearer": "        auth:\n            scheme: bearer\n            token_env: {secret}\n",
    "api_key": (
        "        auth:\n            scheme: api_key\n            api_key_env: {secret}\n            header: X-Interop-Key\n"
    ),
    "basic": (
        "        auth:\n            scheme: basic\n            username: {name}\n            password_env: {secret}\n"
    ),
}

PROGRAM = """\
> profile: remote:
    > agent: a2a:
        endpoint: {url}
{auth}
@inspect(topic: str) -> str:
    > use: remote
    >> The evidence about <topic> supports [summary: str], and the count of it is [count: int].
    = `f"{{type(summary).__name__}} {{type(count).__name__}}"`

= `inspect("releases")`
"""


def program(url, scheme, credential):
    auth = AUTH.get(scheme, "").format(secret=SECRET, name=(credential or "").partition(":")[0])
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "interop.kedi")
        file.write_text(PROGRAM.format(url=url, auth=auth))
        command = Path(sys.executable).with_name("kedi")
        done = subprocess.run([command, file], capture_output=True, text=True, timeout=120, cwd=directory)
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().endswith("str int"), done.stdout


def main(url, scheme=None, credential=None):
    agent = A2AAdapter(connection=connection_of(url, scheme, credential))
    failed = 0
    for name, check in (
        ("invoke", lambda: invoke(agent)),
        ("produce", lambda: produce(agent)),
        ("a program", lambda: program(url, scheme, credential)),
    ):
        try:
            check()
            print(f"ok Kedi {scheme or 'open'}: {name}", flush=True)
        except Exception:
            failed += 1
            print(f"FAILED Kedi {scheme or 'open'}: {name}\n{traceback.format_exc()}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
