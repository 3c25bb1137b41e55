interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** The environment of a command, such as `process`: environment variables and output streams. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
}

/** Runs a command with the arguments that follow `octavo`. Returns the exit code. */
export declare function octavo(typed: string[], terminal: Terminal): Promise<number>;
