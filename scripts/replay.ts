import { explainFailure, replay } from '@octavo/cli';

const [file] = process.argv.slice(2).filter((argument) => argument !== '--');
if (file === undefined) {
  console.error('Name the history to replay: npm run replay -- <file.jsonl or .jsonl.gz>');
  process.exitCode = 2;
} else {
  process.exitCode = await replay(file).catch((error: unknown) => {
    console.error(explainFailure(error));
    return 1;
  });
}
