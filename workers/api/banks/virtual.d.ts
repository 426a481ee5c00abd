/** scripts/bank-list.ts makes this module and documents its text. */
declare module "virtual:bank-list" {
  const text: string;
  export default text;
}
