import type { Deployer, Step } from './deployer.ts';
import { findMissingHostNames } from './host-names.ts';
import { planRollback } from './rollback.ts';
import { testHealth } from './smoke-test.ts';
import { planSteps } from './steps.ts';

export interface Command {
  /** Only show the changes. */
  isPlan: boolean;
  isRollback: boolean;
}

async function runSteps(steps: Step[], print: Deployer['print']): Promise<void> {
  for (const [index, { title, run }] of steps.entries()) {
    print(`[${index + 1}/${steps.length}] ${title}`);
    await run();
  }
}

/** Plans the changes, and makes them unless only the plan was requested. */
export async function deploy(deployer: Deployer, { isPlan, isRollback }: Command): Promise<void> {
  const { account, settings, print } = deployer;
  const steps = isRollback ? await planRollback(deployer) : await planSteps(deployer);
  if (steps.length === 0) print('Nothing has changed.');
  if (isPlan) for (const { title } of steps) print(`It would ${title}.`);
  else await runSteps(steps, print);
  const missing = await findMissingHostNames(account, settings);
  if (missing.length > 0) print(['Sites also need:', ...missing].join('\n  '));
  if (isPlan) return;
  if (settings.cell !== '') {
    print(`The cell ${settings.cell} is deployed. Requests reach it through the directory at ${settings.api}.`);
    return;
  }
  await testHealth(deployer);
  print(`Octavo runs at ${settings.api}.`);
}
