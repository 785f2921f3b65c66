/** The price with its tax. */
exports.withTax = (net, rate) => net + rate;
