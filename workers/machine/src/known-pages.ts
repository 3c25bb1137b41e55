import { findRecordedSiteResponse } from '@octavo/publishing/reader';
import { InProcessWorker } from '@octavo/runtime';
import { databaseState } from './database.ts';

/** Gives an answer that there is already. */
class Answering extends InProcessWorker {
  readonly #answer: Response;

  constructor(answer: Response) {
    super();
    this.#answer = answer;
  }

  fetch(): Response {
    return this.#answer;
  }
}

/** What stands behind the gateway for a request whose answer is known, so that it need not go into the machine's object. */
export function knownPages(request: Request): { PUBLISHING: InProcessWorker } | undefined {
  const state = databaseState();
  const answer = state === undefined ? undefined : findRecordedSiteResponse(request, state);
  return answer === undefined ? undefined : { PUBLISHING: new Answering(answer) };
}
