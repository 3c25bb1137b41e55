import { WorkerEntrypoint } from 'cloudflare:workers';
import { connect } from '@octavo/db';
import { resendFromBefore } from '@octavo/runtime';
import type { IssuedToken } from '@octavo/schema';
import { IssueToken, invalid } from '@octavo/schema';
import type { OrgAdminEnvironment } from '../environment.ts';
import { issueToken } from './issue-token.ts';

/** What the operator of an installation may do. Bound to the installation's own control channel, never to the gateway. */
export class Operator extends WorkerEntrypoint<OrgAdminEnvironment> {
  async issueToken(input: unknown): Promise<IssuedToken> {
    const parsed = IssueToken.safeParse(input);
    if (!parsed.success) {
      throw invalid(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.') || 'input', message })));
    }
    return issueToken(connect(this.env.DB, { intent: 'write' }).db, parsed.data);
  }

  /** Takes up at once what was under way when the runtime before this one ended. */
  async recover({ started }: { started: number }): Promise<void> {
    await resendFromBefore(this.env, started);
  }
}
