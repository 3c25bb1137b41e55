import type { GatewayEnvironment } from './environment.ts';
import { serveGatewayRequest } from './serve-request.ts';

export default { fetch: serveGatewayRequest } satisfies ExportedHandler<GatewayEnvironment>;
