import { expect, test } from 'vitest';
import { createMinimalBody, createUniqueName } from '../../../../test/integrations/registry/registry-client.ts';
import { json } from '../../../../test/support/content.ts';
import { query, writeDatabase } from '../../../../test/support/database.ts';
import { until } from '../../../../test/support/own-platform.ts';
import { platform } from '../../../../test/support/platform.ts';
import { connect } from '../api.ts';
import { runWhileDeveloped } from './publish.ts';

test('renews development until the work ends, also after a failed renewal, and then ends it', async () => {
  const organization = await platform().makeOrganization();
  const integrationName = createUniqueName();
  await json(`/v1/integrations/${integrationName}`, {
    token: organization.token,
    body: createMinimalBody(organization),
  });
  const api = connect({ url: platform().url, token: organization.token });
  const readRemainingSeconds = () => {
    const [row] = query<{ until: number | null }>(
      'SELECT dev_until AS until FROM integrations WHERE name = ?',
      integrationName,
    );
    return row?.until == null ? undefined : row.until - Date.now();
  };
  const isRenewed = async () => {
    await writeDatabase(
      platform(),
      'UPDATE integrations SET dev_until = ? WHERE name = ?',
      Date.now(),
      integrationName,
    );
    await until(() => ((readRemainingSeconds() ?? 0) > 90_000 ? true : undefined));
  };
  const failed: string[] = [];
  const setUnpublishedTime = (at: number | null) =>
    writeDatabase(platform(), 'UPDATE integrations SET unpublished_at = ? WHERE name = ?', at, integrationName);
  const developed = {
    ...{ api, integrationName, tunnelUrl: 'http://127.0.0.1:9/', everyMilliseconds: 50 },
    onRenewalFailure: (why: string) => failed.push(why),
  };
  await runWhileDeveloped(developed, async () => {
    await isRenewed();
    await setUnpublishedTime(1);
    await until(() => failed[0]);
    await setUnpublishedTime(null);
    await isRenewed();
  });

  expect(failed[0]).toContain('Integration not found');
  expect(readRemainingSeconds()).toBeUndefined();
});
