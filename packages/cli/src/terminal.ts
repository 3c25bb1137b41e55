export interface Output {
  isTTY?: boolean;
  write(text: string): unknown;
}

/** Where a command runs, such as a process: its environment, and where it writes. */
export interface Terminal {
  env: Record<string, string | undefined>;
  stdout: Output;
  stderr: Output;
}

export const print = ({ stdout }: Terminal, line: string): void => {
  stdout.write(`${line}\n`);
};

export const warn = ({ stderr }: Terminal, line: string): void => {
  stderr.write(`${line}\n`);
};
