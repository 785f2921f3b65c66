require("node:fs").accessSync("dist/app.js");
console.log("deployed shop 1.4.0");
