/** Where the shell leads besides our own pages. From the deployment's configuration. */
export interface SiteLinks {
  company_name: string;
  company_url: string;
  guide_url: string;
  faq_url: string;
  feedback_url: string;
  /** The provider's other products. */
  siblings: { name: string; url: string }[];
}
