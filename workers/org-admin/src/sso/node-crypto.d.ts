declare module 'node:crypto' {
  /** The part of Node's class that the SSO uses; the runtime has it with `nodejs_compat`. */
  export class X509Certificate {
    constructor(pem: string);
    readonly publicKey: { asymmetricKeyType?: string; asymmetricKeyDetails?: { modulusLength?: number } };
  }
}
