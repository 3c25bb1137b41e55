declare module 'node:crypto' {
  /** The part of the Node.js class that SSO uses; the runtime provides it with `nodejs_compat`. */
  export class X509Certificate {
    constructor(pem: string);
    readonly publicKey: { asymmetricKeyType?: string; asymmetricKeyDetails?: { modulusLength?: number } };
  }
}
