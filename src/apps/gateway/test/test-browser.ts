import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Debian's own Chromium, where there is one. Where there is none it is said loudly, because then nothing is proven. */
export function findBrowser(): string | undefined {
  const found = [process.env.CHROMIUM_PATH ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
  if (found === undefined)
    console.warn("\n!!! No Chromium here (apt-get install chromium): what people see in a browser was NOT tested.\n");
  return found;
}

export function openBrowser(executablePath: string): Promise<Browser> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  return chromium.launch({ executablePath, args, timeout: 60_000 });
}
