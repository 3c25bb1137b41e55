import { access, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { checkSettings, fields, findProblem, PlatformError } from '@octavo/platform';

/** Asks for the settings, and writes them to a new file. */
export async function createDeploySettings(
  file: string,
  streams: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<void> {
  const name = path.basename(file);
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new PlatformError(`${name} exists already. Edit it, or delete it first.`);
  const terminal = createInterface(streams);
  const lines = terminal[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    streams.output.write(`${question}: `);
    const { value, done } = await lines.next();
    if (done) throw new PlatformError(`The input ended before all questions. ${name} was not written.`);
    return value.trim();
  };
  try {
    const settings: Record<string, string> = {};
    for (const field of fields.filter(({ isOptional }) => !isOptional)) {
      let answer = await ask(field.question);
      for (let problem = findProblem(field, answer); problem !== undefined; problem = findProblem(field, answer)) {
        streams.output.write(`This ${problem}.\n`);
        answer = await ask(field.question);
      }
      settings[field.name] = answer;
    }
    checkSettings(settings, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `${JSON.stringify(settings, null, 2)}\n`, { flag: 'wx' });
  } finally {
    terminal.close();
  }
}
