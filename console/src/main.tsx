import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app.tsx";
import { preload } from "./app/screens.ts";
import "./styles/base.css";

preload(location.pathname);
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
