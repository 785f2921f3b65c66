"""LangGraph behind Conduct.

NOT RUN in Conduct's CI: LangGraph for Python could not be installed there (its dependency
langchain-protocol is missing from the package index). Written from LangGraph's documentation; only
compiled in the tests.

Install: pip install langgraph langchain-openai
"""

from __future__ import annotations

from typing import Any

from conduct_agent import Conduct, Session
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode


def check_stock(item: str) -> str:
    """How many of an item are left."""
    return "3"


def order(item: str, amount: int = 1) -> str:
    """Orders an item."""
    return f"ordered {amount} {item}"


def build(session: Session) -> Any:
    # The guard keeps name, docstring and signature, so LangChain derives the same schema.
    tools = [StructuredTool.from_function(session.guard(tool), name=tool.__name__) for tool in (check_stock, order)]
    model = ChatOpenAI(model="gpt-5").bind_tools(tools)

    def ask(state: MessagesState) -> dict[str, Any]:
        system = SystemMessage(session.prompt([tool.name for tool in tools]).text)
        return {"messages": [model.invoke([system, *state["messages"]])]}

    def stop(state: MessagesState) -> dict[str, Any]:
        decision = session.stop(str(state["messages"][-1].content))
        return {"messages": [] if decision.done else [HumanMessage(decision.feedback or "Continue.")]}

    def after_model(state: MessagesState) -> str:
        return "tools" if state["messages"][-1].tool_calls else "stop"

    def after_stop(state: MessagesState) -> str:
        return "model" if isinstance(state["messages"][-1], HumanMessage) else END

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_node("stop", stop)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", after_model, ["tools", "stop"])
    graph.add_edge("tools", "model")
    graph.add_conditional_edges("stop", after_stop, ["model", END])
    return graph.compile()


def main() -> None:
    with Conduct.from_env().session("shop") as session:
        heard = session.message("Order a cup, please.")
        if heard.reply is not None:
            print(heard.reply)
            return
        state = build(session).invoke({"messages": [HumanMessage(heard.text)]})
        print(state["messages"][-1].content)


if __name__ == "__main__":
    main()
