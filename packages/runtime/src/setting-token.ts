import { ApiError, notFound } from '@octavo/schema';
import { hashText } from './secrets.ts';

/**
 * Requires the token of a setting, such as OCTAVO_METRICS_TOKEN. Without the setting, the page does not exist.
 * @throws ApiError
 */
export async function requireSettingToken<Name extends string>(
  { headers }: Request,
  env: { [name in Name]?: string },
  name: Name,
): Promise<void> {
  const token = env[name];
  if (!token) throw notFound('page');
  const sent = headers.get('authorization') ?? '';
  // Hashes are compared, because this takes the same time for each wrong token.
  if ((await hashText(sent)) !== (await hashText(`Bearer ${token}`)))
    throw new ApiError('unauthenticated', `Send the value of ${name} as \`Authorization: Bearer <token>\`.`);
}
