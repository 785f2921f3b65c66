"""The client against a real server: CONDUCT_TEST_URL and _TOKEN name a gateway, CONDUCT_HOME the daemon."""

import asyncio
import json
import os
import socket
import tempfile
import threading
import unittest
import uuid

from conduct_agent import Allow, Ask, Conduct, ConductError, Denied, Deny, Unreachable


class ServerCase:
    """The same tests for both servers. The agent may order once, after it has checked the stock."""

    conduct: Conduct
    agent = "shop"

    def open(self):
        return self.conduct.session(self.agent)

    def test_rules_decide_and_results_are_evidence(self):
        with self.open() as session:
            denied = session.call("order", {}, id="c1")
            self.assertIsInstance(denied, Deny)
            self.assertEqual(denied.rule, "stock-first")
            self.assertIsInstance(session.call("check_stock", {}, id="c2"), Allow)
            self.assertFalse(session.result("c2", {"left": 3}).changed)
            self.assertIsInstance(session.call("order", {}, id="c3"), Allow)

    def test_a_repeated_request_counts_once(self):
        with self.open() as session:
            session.call("check_stock", {}, id="c1")
            session.result("c1", "3")
            first = session.call("order", {}, id="c2")
            self.assertEqual(session.call("order", {}, id="c2"), first)
            changed = session.call("order", {"item": "other"}, id="c2")
            self.assertIsInstance(changed, Deny)
            self.assertEqual(changed.code, "unreachable")

    def test_guard_returns_the_reason_and_does_not_run(self):
        ran = []

        def order(item, amount=1):
            """Orders an item."""
            ran.append((item, amount))
            return f"ordered {amount} {item}"

        def check_stock():
            return {"left": 3}

        with self.open() as session:
            guarded = session.guard(order)
            self.assertEqual(guarded.__doc__, "Orders an item.")
            self.assertIn("stock-first", guarded("cup"))
            self.assertEqual(ran, [])
            with self.assertRaises(Denied):
                session.guard(order, on_deny="raise")(item="cup")
            self.assertEqual(session.guard(check_stock)(), {"left": 3})
            self.assertEqual(guarded("cup", amount=2), "ordered 2 cup")
            self.assertEqual(ran, [("cup", 2)])

    def test_a_tool_that_raises_has_failed_and_proves_nothing(self):
        def check_stock():
            raise ValueError("the shop is closed")

        with self.open() as session:
            with self.assertRaisesRegex(ValueError, "closed"):
                session.guard(check_stock)()
            self.assertIsInstance(session.call("order", {}, id="c2"), Deny)

    def test_a_question_is_refused_until_a_person_answers(self):
        with self.open() as session:
            self.assertIsInstance(session.call("refund", {}, id="c1"), Ask)
            self.assertTrue(session.result("c1", "done").changed)
            text = session.guard(lambda: "paid", name="refund")()
            self.assertNotEqual(text, "paid")

    def test_input_that_is_not_json_is_denied(self):
        with self.open() as session:
            self.assertIsInstance(session.call("check_stock", {"x": object()}, id="c1"), Deny)
            self.assertIsInstance(session.call("check_stock", {"x": float("nan")}, id="c2"), Deny)

    def test_message_prompt_and_stop(self):
        with self.open() as session:
            heard = session.message("/think sell a cup")
            self.assertEqual((heard.text, heard.reply), ("sell a cup", None))
            self.assertTrue(heard.modes["think"])
            self.assertGreater(len(session.prompt(["order"]).text), 10)
            refused = session.stop("sold")
            self.assertFalse(refused.done)
            self.assertTrue(refused.feedback)
            session.guard(lambda: "3", name="check_stock")()
            self.assertTrue(session.stop("sold").done)

    def test_conducts_own_tools_run_behind_their_call(self):
        with self.open() as session:
            self.assertIn("verify_context", [tool.name for tool in session.tools])
            self.assertNotIn("withholds", session.run_tool("verify_context", {}))

    def test_the_same_id_continues_the_session_and_leaving_keeps_it(self):
        name = uuid.uuid4().hex
        with self.conduct.session(self.agent, id=name) as session:
            session.guard(lambda: "3", name="check_stock")()
        with self.conduct.session(self.agent, id=name) as again:
            self.assertEqual(again.id, session.id)
            self.assertIsInstance(again.call("order", {}, id="c9"), Allow)
            again.close()
        self.assertIsInstance(again.call("order", {}, id="c10"), Deny)

    def test_async_sessions_and_coroutines(self):
        async def check_stock():
            await asyncio.sleep(0)
            return 3

        async def order(item):
            return f"ordered {item}"

        async def main():
            async with self.conduct.async_session(self.agent) as session:
                self.assertIn("stock-first", await session.guard(order)("cup"))
                self.assertEqual(await session.guard(check_stock)(), 3)
                self.assertEqual(await session.guard(order)("cup"), "ordered cup")
                self.assertTrue((await session.stop("sold")).done)

        asyncio.run(main())

    def test_threads_share_a_client(self):
        decisions = []
        with self.open() as session:
            threads = [
                threading.Thread(target=lambda at=at: decisions.append(session.call("check_stock", {}, id=f"t{at}")))
                for at in range(8)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual([type(one) for one in decisions], [Allow] * 8)

    def test_a_wrong_token_opens_nothing(self):
        wrong = Conduct(f"http://{self.conduct._parts.netloc}", "ct_wrong")
        with self.assertRaises(ConductError) as raised:
            wrong.session(self.agent).open()
        self.assertEqual(raised.exception.status, 401)


@unittest.skipUnless("CONDUCT_TEST_URL" in os.environ, "no gateway")
class GatewayTest(ServerCase, unittest.TestCase):
    def setUp(self):
        self.conduct = Conduct(os.environ["CONDUCT_TEST_URL"], os.environ["CONDUCT_TEST_TOKEN"])


@unittest.skipUnless("CONDUCT_HOME" in os.environ, "no daemon")
class DaemonTest(ServerCase, unittest.TestCase):
    def setUp(self):
        self.conduct = Conduct.local()


class WithoutServerTest(unittest.TestCase):
    def test_an_unreachable_server_denies_and_lets_the_agent_stop(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
        session = Conduct(f"http://127.0.0.1:{port}", "x", timeout=1).session("shop")
        with self.assertRaises(Unreachable):
            session.open()
        session.id = "s_1"
        denied = session.call("order", {}, id="c1")
        self.assertEqual(denied.code, "unreachable")
        ran = []
        self.assertIn("nothing runs", session.guard(lambda: ran.append(1), name="order")())
        self.assertEqual(ran, [])
        self.assertIn("withholds", session.result("c1", "secret").text)
        self.assertTrue(session.stop().done)

    def test_a_server_that_does_not_speak_json_or_hangs_denies(self):
        for answer in (b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", b'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}', b""):
            with self.subTest(answer), socket.create_server(("127.0.0.1", 0)) as server:
                server.settimeout(0.3)

                def serve():
                    held = []
                    try:
                        while True:
                            connection, _ = server.accept()
                            connection.recv(65536)
                            held.append(connection)
                            if answer:
                                connection.sendall(answer)
                    except OSError:
                        for connection in held:
                            connection.close()

                thread = threading.Thread(target=serve)
                thread.start()
                session = Conduct(f"http://127.0.0.1:{server.getsockname()[1]}", "x", timeout=0.1).session("shop")
                session.id = "s_1"
                self.assertIsInstance(session.call("order", {}, id="c1"), Deny)
                self.assertTrue(session.result("c1", "x").changed)
                thread.join()

    def test_a_session_that_was_not_opened_denies(self):
        self.assertIsInstance(Conduct("http://127.0.0.1:1", "x").session("shop").call("x", {}, id="c"), Deny)

    def test_a_token_never_travels_over_plain_http(self):
        with self.assertRaises(ValueError):
            Conduct("http://conduct.example", "x")

    @unittest.skipUnless(os.name == "posix", "file modes")
    def test_a_daemon_file_that_others_can_read_is_not_used(self):
        with tempfile.TemporaryDirectory() as home:
            path = os.path.join(home, "daemon.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write('{"port": 1, "token": "x"}')
            os.chmod(path, 0o644)
            with self.assertRaisesRegex(Unreachable, "chmod 600"):
                Conduct.local(home)
            with self.assertRaisesRegex(Unreachable, "conduct daemon start"):
                Conduct.local(os.path.join(home, "none"))

    @unittest.skipUnless(os.name == "posix", "file modes")
    def test_a_daemon_that_has_ended_says_how_to_start_it(self):
        with tempfile.TemporaryDirectory() as home, socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            path = os.path.join(home, "daemon.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"port": taken.getsockname()[1], "token": "x"}, file)
            os.chmod(path, 0o600)
            with self.assertRaisesRegex(Unreachable, "conduct daemon start"):
                Conduct.local(home, timeout=1).session("shop").open()


if __name__ == "__main__":
    unittest.main()
