// Loaded with --import where `faketime` is not installed: the JavaScript clock of this process is ahead.
const ahead = Number(process.env.CONDUCT_CHAOS_SKEW_MS ?? 0);
const RealDate = globalThis.Date;
globalThis.Date = class SkewedDate extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + ahead);
    else super(...args);
  }
  static now() {
    return RealDate.now() + ahead;
  }
};
