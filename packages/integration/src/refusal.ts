/**
 * What a handler throws where its caller is to know why: the message is answered with the status. Of an event, a status
 * from 400 on but 408 and 429 says that it is not to be sent again, one from 500 on that it is.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(message: string, status = 400) {
    super(message);
    this.status = status;
  }
}
