import { answerKnown } from '@octavo/publishing/reader';
import { InProcessWorker } from '@octavo/runtime';
import { getDatabaseState } from './database.ts';

/** Gives an answer that there is already. */
class PageHandler extends InProcessWorker {
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
export function createPageCache(request: Request): { PUBLISHING: InProcessWorker } | undefined {
  const state = getDatabaseState();
  const answer = state === undefined ? undefined : answerKnown(request, state);
  return answer === undefined ? undefined : { PUBLISHING: new PageHandler(answer) };
}
