declare module '@sparticuz/chromium' {
  export function inflate(file: string): Promise<string>;
  const chromium: { executablePath(): Promise<string> };
  export default chromium;
}
