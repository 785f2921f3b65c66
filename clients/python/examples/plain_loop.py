"""A plain agent loop on the daemon of this machine. The scripted model stands for yours.

Run it: CONDUCT_HOME=~/.conduct python3 examples/plain_loop.py
"""

from __future__ import annotations

import uuid
from typing import Any

from conduct_agent import Conduct


def check_stock(item: str) -> dict[str, int]:
    return {item: 3}


def order(item: str, amount: int = 1) -> str:
    return f"ordered {amount} {item}"


TOOLS = {"check_stock": check_stock, "order": order}


def model(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """Replace this with a request to your model. It orders at once, reads the denial, and checks first."""
    script: list[dict[str, Any]] = [
        {"calls": [("order", {"item": "cup"})]},
        {"calls": [("check_stock", {"item": "cup"})]},
        {"calls": [("order", {"item": "cup"})]},
        {"text": "The cup is ordered."},
    ]
    return script[sum(1 for one in messages if one["role"] == "assistant")]


def main() -> None:
    conduct = Conduct.from_env()
    with conduct.session("shop") as session:
        tools = {name: session.guard(tool) for name, tool in TOOLS.items()}
        heard = session.message("Order a cup, please.")
        if heard.reply is not None:
            print(heard.reply)
            return
        system = session.prompt(list(tools)).text
        messages: list[dict[str, Any]] = [
            {"role": "system", "content": system},
            {"role": "user", "content": heard.text},
        ]
        while True:
            answer = model(messages)
            messages.append({"role": "assistant", **answer})
            if "calls" in answer:
                step = uuid.uuid4().hex
                for name, input in answer["calls"]:
                    result = tools[name](step=step, **input)
                    print(f"{name}: {result}")
                    messages.append({"role": "tool", "content": str(result)})
                continue
            stop = session.stop(answer["text"])
            if stop.done:
                print(answer["text"])
                return
            messages.append({"role": "user", "content": stop.feedback})


if __name__ == "__main__":
    main()
