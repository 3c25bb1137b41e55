declare module 'lighthouse' {
  interface Category {
    title: string;
    score: number | null;
    auditRefs: { id: string; weight: number }[];
  }
  interface Audit {
    title: string;
    score: number | null;
    displayValue?: string;
  }
  interface Flags {
    port: number;
    onlyCategories: string[];
    skipAudits: string[];
    throttling: { cpuSlowdownMultiplier: number };
    logLevel: 'silent';
  }
  interface Report {
    categories: Record<string, Category>;
    audits: Record<string, Audit>;
    environment: { benchmarkIndex: number };
  }
  export default function lighthouse(url: string, flags: Flags): Promise<{ lhr: Report } | undefined>;
}
