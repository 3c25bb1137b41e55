import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildPlatform, getDirectoryKeyFile, getSecretFile, PlatformError, readDeploySettings } from '@octavo/platform';
import { Account } from './deploy/account.ts';
import { CloudflareApi } from './deploy/cloudflare.ts';
import { readRelease } from './deploy/configurations.ts';
import { createDeploySettings } from './deploy/init.ts';
import { deploy } from './deploy/run.ts';
import { runWrangler } from './deploy/wrangler.ts';
import { outDir, root } from './settings.ts';
import { exitWithError } from './terminal.ts';

const help = `Deploys Octavo to Cloudflare. Running it again changes only what differs.

Usage: npm run deploy -- [options]

  --init            Ask for the settings, and write them to the file
  --plan            Show the changes without making them
  --only <worker>   Deploy only one worker, such as content
  --change-url      Allow that the URL of the API is changed
  --rollback        Return to the versions before the last release
  --env <name>      Deploy the environment of this name in the file, such as staging
  --config <file>   The file with the settings (deploy.json by default)

The API token is read from the environment variable CLOUDFLARE_API_TOKEN.
See docs/guides/deploy-to-cloudflare.md.`;

function readArguments() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      options: {
        ...{ help: flag, init: flag, plan: flag, rollback: flag, 'change-url': flag },
        ...{ only: text, env: text, config: text },
      },
    }).values;
  } catch (error) {
    throw new PlatformError(`${error instanceof Error ? error.message : error}\n\n${help}`);
  }
}

function readToken({ CLOUDFLARE_API_TOKEN: token }: NodeJS.ProcessEnv): string {
  if (token) return token;
  throw new PlatformError(
    'Set the environment variable CLOUDFLARE_API_TOKEN to an API token of your account. docs/guides/deploy-to-cloudflare.md lists its permissions.',
  );
}

try {
  const { env } = process;
  const options = readArguments();
  const file = path.resolve(options.config ?? path.join(root, 'deploy.json'));
  if (options.help) console.log(help);
  else if (options.init) {
    await createDeploySettings(file, { input: process.stdin, output: process.stdout });
    console.log(`Created ${path.basename(file)}. See the changes with: npm run deploy -- --plan`);
  } else {
    const settings = await readDeploySettings(file, options.env);
    const api = new CloudflareApi({ token: readToken(env), baseUrl: env.CLOUDFLARE_API_BASE_URL });
    await buildPlatform({ root, outDir });
    const deployer = {
      account: new Account(api, settings.account),
      settings,
      release: await readRelease(root, outDir),
      outDir,
      secretFile: getSecretFile(file, settings.prefix),
      secret: env.OCTAVO_SECRET || undefined,
      directoryKeyFile: getDirectoryKeyFile(file),
      directoryKey: env.OCTAVO_DIRECTORY_KEY || undefined,
      isCi: Boolean(env.CI),
      only: options.only,
      canChangeUrl: options['change-url'],
      runWrangler,
      print: console.log,
      api: settings.api,
      fetch,
      pause: () => new Promise<void>((resolve) => setTimeout(resolve, 2000)),
    };
    await deploy(deployer, { isPlan: options.plan, isRollback: options.rollback });
  }
} catch (error) {
  exitWithError(error);
}
