const assert = require("node:assert");
const { withTax } = require("../src/price.cjs");

assert.strictEqual(withTax(100, 0.2), 120);
console.log("1 test passed");
