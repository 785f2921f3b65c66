const { copyFileSync, mkdirSync } = require("node:fs");

mkdirSync("dist", { recursive: true });
copyFileSync("src/price.cjs", "dist/app.js");
console.log("built dist/app.js");
