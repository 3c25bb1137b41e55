import type { PdfExport } from '../collaboration/pdf.ts';
import type { ChangeRequestId, OrganizationId, RevisionId, SpaceId } from '../ids.ts';
import type { Caller, Metered } from '../service.ts';

/** A request for a PDF of a revision. */
export interface PdfRequest extends Caller {
  organization: OrganizationId;
  space: SpaceId;
  /** The change request whose revision is printed; undefined for the live content. */
  changeRequest?: ChangeRequestId | undefined;
  revision: RevisionId;
  /** The first page, printed with its subpages. Omitted for all pages. */
  page?: string | undefined;
  /** Whether to omit the subpages of `page`. */
  only: boolean;
  title: string;
  subtitle?: string | undefined;
}

/** The RPC interface of the publishing worker. The caller has authorized the user; each call may be repeated. */
export interface PublishingService {
  /** Returns a signed URL of the PDF, and queues the PDF if it has not been requested before. */
  requestPdf(request: PdfRequest): Promise<Metered<PdfExport>>;
}
