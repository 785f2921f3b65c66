import { describe, expect, it } from "vitest";
import { isLoopback, refuseRequest } from "./http-guard.ts";

const token = "0123456789abcdef";
const authorization = `Bearer ${token}`;

describe("refuseRequest", () => {
  it.each([
    { host: "127.0.0.1:8848", status: undefined },
    { host: "localhost:8848", status: undefined },
    { host: "[::1]:8848", status: undefined },
    { host: "desk.lan", status: undefined },
    { host: "10.0.0.7", status: undefined },
    { host: "evil.example", status: 403 },
    { host: "127.0.0.1.evil.example", status: 403 },
    { host: "localhost.evil.example", status: 403 },
    { host: "a b", status: 403 },
    { host: undefined, status: 403 },
  ])("MH-1 a request with Host $host gets status $status", ({ host, status }) => {
    expect(refuseRequest({ host, authorization }, { host: "desk.lan", token })?.status).toBe(status);
  });

  it.each([
    { origin: "http://localhost:6274", status: undefined },
    { origin: "http://127.0.0.1", status: undefined },
    { origin: "https://desk.lan", status: undefined },
    { origin: "null", status: 403 },
    { origin: "http://10.0.0.7", status: 403 },
    { origin: "https://evil.example", status: 403 },
  ])("MH-2 a request with Origin $origin gets status $status", ({ origin, status }) => {
    expect(refuseRequest({ host: "localhost", origin, authorization }, { host: "desk.lan", token })?.status).toBe(
      status,
    );
  });

  it.each([
    { given: authorization, status: undefined },
    { given: `bearer ${token}`, status: undefined },
    { given: `Bearer ${token}x`, status: 401 },
    { given: `Basic ${token}`, status: 401 },
    { given: "", status: 401 },
    { given: undefined, status: 401 },
  ])("MH-3 a request with Authorization $given gets status $status", ({ given, status }) => {
    expect(refuseRequest({ host: "localhost", authorization: given }, { host: "127.0.0.1", token })?.status).toBe(
      status,
    );
  });

  it("MH-4 only loopback addresses count as local", () => {
    expect(["localhost", "127.0.0.1", "127.1.2.3", "::1"].every(isLoopback)).toBe(true);
    expect(["0.0.0.0", "::", "10.0.0.1", "127.evil", "desk.lan"].some(isLoopback)).toBe(false);
  });
});
