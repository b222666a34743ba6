// Moves the clock of the program that it is loaded into on by three hours: every record of a test that takes less than an hour is then `3h` old.
const HOURS_3 = 3 * 3_600_000;
const RealDate = Date;
const now = () => RealDate.now() + HOURS_3;
globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static now() {
    return now();
  }
};
