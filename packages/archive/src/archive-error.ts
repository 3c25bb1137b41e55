/** An archive that is refused; `problem` says why as the end of a sentence about it. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly problem: string;

  constructor(problem: string) {
    super(`The archive ${problem}.`);
    this.problem = problem;
  }
}
