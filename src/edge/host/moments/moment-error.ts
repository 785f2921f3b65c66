/** A rejected request of the HTTP moments, for the client. `status` is the HTTP status. */
export class MomentError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fix: string | undefined;

  constructor(status: number, code: string, message: string, fix?: string) {
    super(message);
    this.name = "MomentError";
    this.status = status;
    this.code = code;
    this.fix = fix;
  }
}
