import type { Handler } from '@octavo/runtime';
import type { publishing } from '@octavo/schema';
import type { PublishingEnvironment } from '../environment.ts';
import { resolveAddress } from './resolve-address.ts';

export const resolvePublishedContentByUrl: Handler<
  typeof publishing.resolvePublishedContentByUrl,
  PublishingEnvironment
> = ({ body: { url, visitor, redirectOnError } }, context) =>
  resolveAddress({ url, jwt: visitor?.jwtToken, unsigned: visitor?.unsignedClaims ?? {}, redirectOnError }, context);
