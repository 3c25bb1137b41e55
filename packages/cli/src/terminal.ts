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

/** What is written may be a stranger's, and these would steer the terminal; a new line and a tab do no harm. */
const steering = /(?!\t|\n|\r\n)\p{Cc}/gu;

/** Written as JSON has it, so that what is JSON stays so. */
const harmless = (text: string): string =>
  text.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const print = ({ stdout }: Terminal, line: string): void => {
  stdout.write(`${harmless(line)}\n`);
};

export const warn = ({ stderr }: Terminal, line: string): void => {
  stderr.write(`${harmless(line)}\n`);
};
