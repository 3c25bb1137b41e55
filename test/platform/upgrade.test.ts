import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { rollBack, upgrade } from '@octavo/platform';
import { expect, onTestFinished, test } from 'vitest';

/**
 * A work tree with three versions: `v1`, `v2`, whose doctor adds a row to the database as a migration would, and `v3`,
 * which does the same and then fails.
 */
async function openInstallation() {
  const folder = await mkdtemp(path.join(tmpdir(), 'octavo-upgrade-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [root, dataDir] = [path.join(folder, 'octavo'), path.join(folder, 'data')];
  await mkdir(path.join(root, 'scripts'), { recursive: true });
  await mkdir(path.join(dataDir, 'state/d1'), { recursive: true });
  const file = path.join(dataDir, 'state/d1/a.sqlite');
  const query = <Value>(use: (database: DatabaseSync) => Value): Value => {
    const database = new DatabaseSync(file);
    const value = use(database);
    database.close();
    return value;
  };
  query((database) => database.exec("CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('first')"));
  const names = {
    GIT_AUTHOR_NAME: 'T',
    GIT_AUTHOR_EMAIL: 't@example.test',
    GIT_COMMITTER_NAME: 'T',
    GIT_COMMITTER_EMAIL: 't@example.test',
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, env: { ...process.env, ...names }, encoding: 'utf8' }).trim();
  git('init', '-q');
  const migrate = (text: string) =>
    `import { DatabaseSync } from 'node:sqlite';
     const database = new DatabaseSync(process.env.OCTAVO_DATA + '/state/d1/a.sqlite');
     database.exec("INSERT INTO t VALUES ('${text}')");
     database.close();\n`;
  for (const [tag, script] of Object.entries({
    v1: '',
    v2: migrate('second'),
    v3: `${migrate('third')}process.exit(1);\n`,
  })) {
    await writeFile(path.join(root, 'scripts/bootstrap.mjs'), script);
    git('add', '.');
    git('commit', '-q', '-m', tag, '--allow-empty');
    git('tag', tag);
  }
  git('checkout', '-q', 'v1');
  const steps: string[] = [];
  return {
    options: { root, dataDir, report: (step: string) => void steps.push(step) },
    steps,
    getVersion: () => git('describe', '--tags'),
    readTexts: () =>
      query((database) =>
        database
          .prepare('SELECT text FROM t')
          .all()
          .map(({ text }) => text),
      ),
    change: () => query((database) => database.exec("INSERT INTO t VALUES ('later')")),
  };
}

test('upgrades, and rolls back to the previous version and its data', async () => {
  const { options, steps, getVersion, readTexts, change } = await openInstallation();
  await upgrade(options, 'v2');
  expect([getVersion(), readTexts()]).toEqual(['v2', ['first', 'second']]);
  expect(steps.join('\n')).toContain('Changed from v1 to v2.');

  change();
  await rollBack(options);
  expect([getVersion(), readTexts()]).toEqual(['v1', ['first']]);
});

test('restores the previous version and data if the new version does not work', async () => {
  const { options, getVersion, readTexts } = await openInstallation();

  await expect(upgrade(options, 'v3')).rejects.toThrow('v1 and its data were restored');
  expect([getVersion(), readTexts()]).toEqual(['v1', ['first']]);
});

test('changes nothing for an unknown version, with local changes, or if there is no upgrade to roll back', async () => {
  const { options, getVersion, readTexts } = await openInstallation();

  await expect(upgrade(options, 'v9')).rejects.toThrow('git rev-parse failed');
  await expect(rollBack(options)).rejects.toThrow('There was no upgrade');
  const file = path.join(options.root, 'scripts/bootstrap.mjs');
  await writeFile(file, `${await readFile(file, 'utf8')}// mine\n`);
  await expect(upgrade(options, 'v2')).rejects.toThrow('has local changes');
  expect([getVersion(), readTexts()]).toEqual(['v1', ['first']]);
});
