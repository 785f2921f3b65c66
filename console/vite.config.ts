import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

const root = fileURLToPath(new URL(".", import.meta.url));

/** Built by `src/apps/gateway/http/console/build-console.ts`, which says where to; `npx vite console` serves it for work, with the API of a gateway behind it. */
export default defineConfig({
  root,
  base: "/",
  plugins: [react()],
  // The package's own sources, not its build.
  resolve: { conditions: ["conduct-source", ...defaultClientConditions] },
  build: {
    outDir: process.env.CONDUCT_CONSOLE_OUT ?? "../.cache/console/dev",
    emptyOutDir: true,
    target: "es2023",
    // Nothing inline: the page's CSP has no place for it.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: "manifest.json",
  },
  server: {
    port: 4871,
    proxy: { "/api": { target: process.env.CONDUCT_URL ?? "http://127.0.0.1:4870", changeOrigin: true } },
  },
});
