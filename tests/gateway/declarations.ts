import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

/**
 * Checks values against the interfaces of the `stripe` package's own declarations, so that an answer of the gateway with
 * a missing field, a wrong type, an unknown field or an unknown value of an enumeration fails a test.
 */

const resources = join(dirname(fileURLToPath(import.meta.resolve("stripe"))), "resources");

/** The parts of a syntax tree that declarations are made of. */
interface Node {
  type: string;
  [field: string]: unknown;
}

/** A declared name: its node, and the scopes in which its own names are looked up, innermost first. */
interface Declared {
  node: Node;
  scopes: Scope[];
}
type Scope = Map<string, () => Declared | null>;

const files = new Map<string, Scope>();

/** Reads a declaration file into the names it declares. Names of other files are read when they are needed. */
function fileScope(path: string): Scope {
  const known = files.get(path);
  if (known) return known;
  const scope: Scope = new Map();
  files.set(path, scope);
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  for (const statement of program.body as unknown as Node[]) {
    if (statement.type === "ImportDeclaration") {
      const from = resolve(dirname(path), String((statement.source as Node).value).replace(/\.js$/, ".d.ts"));
      for (const specifier of statement.specifiers as Node[]) {
        const local = nameOf(specifier.local);
        if (specifier.type === "ImportNamespaceSpecifier") nameInside(scope, local, () => fileScope(from));
        else scope.set(local, () => fileScope(from).get(nameOf(specifier.imported))?.() ?? null);
      }
    } else if (statement.type === "ExportNamedDeclaration" && !statement.declaration && statement.source) {
      const from = resolve(dirname(path), String((statement.source as Node).value).replace(/\.js$/, ".d.ts"));
      for (const specifier of statement.specifiers as Node[]) {
        scope.set(nameOf(specifier.exported), () => fileScope(from).get(nameOf(specifier.local))?.() ?? null);
      }
    } else declare(statement, scope, [scope]);
  }
  return scope;
}

/** The namespaces of each scope. */
const namespaces = new WeakMap<Scope, Map<string, () => Scope>>();

function nameInside(scope: Scope, name: string, inner: () => Scope): void {
  namespaces.set(scope, (namespaces.get(scope) ?? new Map<string, () => Scope>()).set(name, inner));
}

function declare(statement: Node, scope: Scope, scopes: Scope[]): void {
  const node = (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement) as Node | null;
  if (node?.type === "TSInterfaceDeclaration" || node?.type === "TSTypeAliasDeclaration") {
    scope.set(nameOf(node.id), () => ({ node, scopes }));
  } else if (node?.type === "TSModuleDeclaration") {
    const name = nameOf(node.id);
    // A namespace may be declared in several parts.
    const inner: Scope = namespaces.get(scope)?.get(name)?.() ?? new Map();
    nameInside(scope, name, () => inner);
    for (const each of (node.body as Node).body as Node[]) declare(each, inner, [inner, ...scopes]);
  }
}

const nameOf = (node: unknown): string => String((node as Node).name ?? (node as Node).value);

/** Returns the parts of a dotted name: `Session.Status` gives both. */
function partsOf(name: Node): string[] {
  return name.type === "TSQualifiedName" ? [...partsOf(name.left as Node), nameOf(name.right)] : [nameOf(name)];
}

function lookUp([first = "", ...rest]: string[], scopes: Scope[]): Declared | null {
  for (const scope of scopes) {
    if (rest.length === 0) {
      const found = scope.get(first)?.();
      if (found) return found;
    } else {
      const inner = namespaces.get(scope)?.get(first)?.() ?? namespaceOf(scope.get(first)?.() ?? null, first);
      const found = inner && lookUp(rest, [inner]);
      if (found) return found;
    }
  }
  return null;
}

/** Returns the namespace that has the name of an imported interface. */
function namespaceOf(declared: Declared | null, name: string): Scope | undefined {
  return declared?.scopes.map((scope) => namespaces.get(scope)?.get(name)?.()).find(Boolean);
}

/** The declarations of every kind of object that the gateway answers, by its field `object`. */
const declarations: Readonly<Record<string, [file: string, name: string]>> = {
  account: ["Accounts", "Account"],
  account_link: ["AccountLinks", "AccountLink"],
  balance: ["Balance", "Balance"],
  balance_transaction: ["BalanceTransactions", "BalanceTransaction"],
  bank_account: ["BankAccounts", "BankAccount"],
  "billing_portal.session": ["BillingPortal/Sessions", "Session"],
  charge: ["Charges", "Charge"],
  "checkout.session": ["Checkout/Sessions", "Session"],
  customer: ["Customers", "Customer"],
  dispute: ["Disputes", "Dispute"],
  event: ["Events", "EventBase"],
  invoice: ["Invoices", "Invoice"],
  invoice_payment: ["InvoicePayments", "InvoicePayment"],
  item: ["LineItems", "LineItem"],
  line_item: ["InvoiceLineItems", "InvoiceLineItem"],
  payment_intent: ["PaymentIntents", "PaymentIntent"],
  payment_method: ["PaymentMethods", "PaymentMethod"],
  payout: ["Payouts", "Payout"],
  price: ["Prices", "Price"],
  product: ["Products", "Product"],
  "radar.early_fraud_warning": ["Radar/EarlyFraudWarnings", "EarlyFraudWarning"],
  refund: ["Refunds", "Refund"],
  setup_intent: ["SetupIntents", "SetupIntent"],
  subscription: ["Subscriptions", "Subscription"],
  token: ["Tokens", "Token"],
  transfer: ["Transfers", "Transfer"],
  transfer_reversal: ["TransferReversals", "TransferReversal"],
  webhook_endpoint: ["WebhookEndpoints", "WebhookEndpoint"],
};
const deleted: Readonly<Record<string, [file: string, name: string]>> = {
  account: ["Accounts", "DeletedAccount"],
  bank_account: ["BankAccounts", "DeletedBankAccount"],
  customer: ["Customers", "DeletedCustomer"],
  webhook_endpoint: ["WebhookEndpoints", "DeletedWebhookEndpoint"],
};

type Answered = { object?: string; deleted?: boolean; data?: unknown; error?: unknown };

/** Returns what is wrong with an answer of the API, whatever kind of object or list it is. */
export function faultsOfAnswer(answer: unknown): Fault[] {
  const { object = "", deleted: is_deleted = false, data, error } = answer as Answered;
  // Errors and the gateway's own clock have no declaration.
  if (error !== undefined || object === "test_helpers.clock") return [];
  if (object === "list") return (data as unknown[]).flatMap(faultsOfAnswer);
  const declared = (is_deleted ? deleted : declarations)[object];
  if (!declared) return [`the answer is of the unknown kind "${object}"`];
  if (object !== "event") return faultsOf(answer, ...declared);
  // An event declares its object as an empty one, since it may be of any kind.
  const about = (data as { object: unknown }).object;
  return [...faultsOf({ ...(answer as object), data: { object: {} } }, ...declared), ...faultsOfAnswer(about)];
}

type Fault = string;
const MAX_FAULTS = 20;

/** The declared parameters of every call that the product makes, by method and path. */
const calls: readonly [method: string, path: RegExp, file: string, name: string][] = [
  ["POST", /^accounts$/, "Accounts", "AccountCreateParams"],
  ["GET", /^accounts\/\w+$/, "Accounts", "AccountRetrieveParams"],
  ["POST", /^accounts\/\w+$/, "Accounts", "AccountUpdateParams"],
  ["POST", /^account_links$/, "AccountLinks", "AccountLinkCreateParams"],
  ["GET", /^balance$/, "Balance", "BalanceRetrieveParams"],
  ["POST", /^billing_portal\/sessions$/, "BillingPortal/Sessions", "BillingPortal.SessionCreateParams"],
  ["POST", /^checkout\/sessions$/, "Checkout/Sessions", "Checkout.SessionCreateParams"],
  ["GET", /^checkout\/sessions\/\w+$/, "Checkout/Sessions", "Checkout.SessionRetrieveParams"],
  ["POST", /^checkout\/sessions\/\w+\/expire$/, "Checkout/Sessions", "Checkout.SessionExpireParams"],
  ["POST", /^customers$/, "Customers", "CustomerCreateParams"],
  ["GET", /^customers\/\w+$/, "Customers", "CustomerRetrieveParams"],
  ["POST", /^customers\/\w+$/, "Customers", "CustomerUpdateParams"],
  ["GET", /^disputes$/, "Disputes", "DisputeListParams"],
  ["GET", /^disputes\/\w+$/, "Disputes", "DisputeRetrieveParams"],
  ["GET", /^invoice_payments$/, "InvoicePayments", "InvoicePaymentListParams"],
  ["POST", /^invoices\/create_preview$/, "Invoices", "InvoiceCreatePreviewParams"],
  ["GET", /^invoices$/, "Invoices", "InvoiceListParams"],
  ["GET", /^invoices\/\w+$/, "Invoices", "InvoiceRetrieveParams"],
  ["POST", /^invoices\/\w+\/finalize$/, "Invoices", "InvoiceFinalizeInvoiceParams"],
  ["POST", /^invoices\/\w+\/pay$/, "Invoices", "InvoicePayParams"],
  ["GET", /^payment_intents\/\w+$/, "PaymentIntents", "PaymentIntentRetrieveParams"],
  ["GET", /^payment_methods$/, "PaymentMethods", "PaymentMethodListParams"],
  ["POST", /^payouts$/, "Payouts", "PayoutCreateParams"],
  ["GET", /^payouts$/, "Payouts", "PayoutListParams"],
  ["GET", /^payouts\/\w+$/, "Payouts", "PayoutRetrieveParams"],
  ["POST", /^payouts\/\w+\/cancel$/, "Payouts", "PayoutCancelParams"],
  ["POST", /^prices$/, "Prices", "PriceCreateParams"],
  ["POST", /^products\/\w+$/, "Products", "ProductUpdateParams"],
  ["GET", /^radar\/early_fraud_warnings\/\w+$/, "Radar/EarlyFraudWarnings", "Radar.EarlyFraudWarningRetrieveParams"],
  ["POST", /^refunds$/, "Refunds", "RefundCreateParams"],
  ["GET", /^refunds$/, "Refunds", "RefundListParams"],
  ["GET", /^refunds\/\w+$/, "Refunds", "RefundRetrieveParams"],
  ["GET", /^subscriptions$/, "Subscriptions", "SubscriptionListParams"],
  ["GET", /^subscriptions\/\w+$/, "Subscriptions", "SubscriptionRetrieveParams"],
  ["POST", /^subscriptions\/\w+$/, "Subscriptions", "SubscriptionUpdateParams"],
  ["DELETE", /^subscriptions\/\w+$/, "Subscriptions", "SubscriptionCancelParams"],
  ["POST", /^tokens$/, "Tokens", "TokenCreateParams"],
  ["POST", /^transfers$/, "Transfers", "TransferCreateParams"],
  ["GET", /^transfers$/, "Transfers", "TransferListParams"],
  ["GET", /^transfers\/\w+$/, "Transfers", "TransferRetrieveParams"],
  ["POST", /^transfers\/\w+\/reversals$/, "Transfers", "TransferCreateReversalParams"],
];

/** One line of the traffic that GATEWAY_TRAFFIC records. */
export interface Exchange {
  method: string;
  path: string;
  params: object;
  status: number;
  body: unknown;
}

/** The declared name of a call's parameters; undefined for a call that the product does not make. */
export function callOf({ method, path }: Pick<Exchange, "method" | "path">): string | undefined {
  const called = path.replace("/v1/", "");
  return calls.find(([known, pattern]) => known === method && pattern.test(called))?.[3];
}

/** Every call that the product makes, by the declared names of their parameters. */
export const knownCalls = calls.map(([, , , name]) => name);

/** Returns what is wrong with a call of the API: its parameters as the form had them, and its answer. */
export function faultsOfExchange(exchange: Exchange): Fault[] {
  const { method, path, params, body } = exchange;
  const name = callOf(exchange);
  const file = calls.find((call) => call[3] === name)?.[2];
  if (name === undefined || file === undefined) return [`${method} ${path} is no call of the product`];
  return [...faultsOfForm(params, file, name), ...faultsOfAnswer(body)];
}

function faultsOfForm(form: object, file: string, name: string): Fault[] {
  is_form = true;
  try {
    return faultsOf(form, file, name);
  } finally {
    is_form = false;
  }
}

/** Whether the values are those of a form, which has texts alone. */
let is_form = false;

/**
 * Returns what is wrong with a value of an interface, one sentence for each fault; empty for a right one.
 *
 * @param file the declaration file below `resources`, without its ending: `Checkout/Sessions`.
 */
export function faultsOf(value: unknown, file: string, name: string): Fault[] {
  const declared = lookUp(name.split("."), [fileScope(join(resources, `${file}.d.ts`))]);
  if (!declared) throw new Error(`${file}.d.ts declares no ${name}`);
  return checkDeclared(value, declared, name, []).slice(0, MAX_FAULTS);
}

function checkDeclared(value: unknown, { node, scopes }: Declared, at: string, given: Declared[]): Fault[] {
  const inner = withParameters(node, scopes, given);
  if (node.type === "TSTypeAliasDeclaration") return checkType(value, node.typeAnnotation as Node, inner, at);
  return checkMembers(value, membersOf(node, scopes), inner, at);
}

/** Adds a generic type's parameters to the names that its members know. */
function withParameters(node: Node, scopes: Scope[], given: Declared[]): Scope[] {
  const parameters = ((node.typeParameters as Node | null)?.params ?? []) as Node[];
  if (parameters.length === 0) return scopes;
  return [new Map(parameters.map(({ name }, index) => [nameOf(name), () => given[index] ?? null])), ...scopes];
}

/** Returns the members of an interface and of those it extends. */
function membersOf(node: Node, scopes: Scope[]): Node[] {
  const parents = ((node.extends ?? []) as Node[]).flatMap((parent) => {
    const found = lookUp(partsOf(parent.expression as Node), scopes);
    return found ? membersOf(found.node, found.scopes) : [];
  });
  const body = node.type === "TSTypeLiteral" ? node : (node.body as Node);
  return [...parents, ...((body.members ?? body.body) as Node[])];
}

function checkMembers(value: unknown, members: Node[], scopes: Scope[], at: string): Fault[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${at} is no object`];
  const fields = value as Record<string, unknown>;
  const index = members.find(({ type }) => type === "TSIndexSignature");
  const properties = members.filter(({ type }) => type === "TSPropertySignature");
  const known = new Map(properties.map((property) => [nameOf(property.key), property]));
  const faults: Fault[] = [];
  for (const [name, property] of known) {
    const type = (property.typeAnnotation as Node).typeAnnotation as Node;
    if (fields[name] === undefined) {
      if (!property.optional) faults.push(`${at}.${name} is missing`);
    } else faults.push(...checkType(fields[name], type, scopes, `${at}.${name}`));
  }
  for (const [name, field] of Object.entries(fields)) {
    if (known.has(name) || field === undefined) continue;
    if (!index) faults.push(`${at}.${name} is not declared`);
    else
      faults.push(...checkType(field, (index.typeAnnotation as Node).typeAnnotation as Node, scopes, `${at}.${name}`));
  }
  return faults;
}

/** What a keyword of the language stands for, as JSON or a form has it. */
const keywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  TSStringKeyword: (value) => typeof value === "string",
  TSNumberKeyword: (value) => Number.isInteger(value) || (is_form && /^-?\d+$/.test(String(value))),
  TSBooleanKeyword: (value) => typeof value === "boolean" || (is_form && /^(true|false)$/.test(String(value))),
  TSNullKeyword: (value) => value === null,
  TSVoidKeyword: (value) => value === undefined,
  TSUnknownKeyword: () => true,
  TSAnyKeyword: () => true,
};

function checkType(value: unknown, type: Node, scopes: Scope[], at: string): Fault[] {
  const keyword = keywords[type.type];
  if (keyword) return keyword(value) ? [] : [`${at} is ${JSON.stringify(value)?.slice(0, 60)}`];
  switch (type.type) {
    case "TSParenthesizedType":
      return checkType(value, type.typeAnnotation as Node, scopes, at);
    case "TSLiteralType":
      return (type.literal as Node).value === value ? [] : [`${at} is ${JSON.stringify(value)?.slice(0, 60)}`];
    case "TSArrayType":
      return checkArray(value, type.elementType as Node, scopes, at);
    case "TSTypeLiteral":
      return checkMembers(value, membersOf(type, scopes), scopes, at);
    case "TSUnionType": {
      const tried = (type.types as Node[]).map((each) => checkType(value, each, scopes, at));
      if (tried.some(({ length }) => length === 0)) return [];
      // The alternative that the value is nearest to says best what is wrong.
      const nearest = tried.filter((faults) => faults.some((fault) => !fault.startsWith(`${at} is `)));
      return nearest.sort((one, other) => one.length - other.length)[0] ?? tried[0] ?? [];
    }
    case "TSTypeReference":
      return checkReference(value, type, scopes, at);
    default:
      throw new Error(`${at} has a type that this checker does not know: ${type.type}`);
  }
}

function checkArray(value: unknown, element: Node, scopes: Scope[], at: string): Fault[] {
  if (!Array.isArray(value)) return [`${at} is no array`];
  return value.flatMap((each, index) => checkType(each, element, scopes, `${at}[${index}]`));
}

function checkReference(value: unknown, type: Node, scopes: Scope[], at: string): Fault[] {
  const parts = partsOf(type.typeName as Node);
  const given = ((type.typeArguments as Node | null)?.params ?? []) as Node[];
  const [name = ""] = parts;
  if (name === "Array" && given[0]) return checkArray(value, given[0], scopes, at);
  // The package reads a decimal from a text, and adds this type to leave room for values of later versions.
  if (name === "Decimal")
    return typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value) ? [] : [`${at} is no decimal`];
  if (name === "OtherString") return [`${at} is ${JSON.stringify(value)?.slice(0, 60)}`];
  const declared = lookUp(parts, scopes);
  if (!declared) throw new Error(`${at} has the type ${parts.join(".")}, which is declared nowhere`);
  const passed = given.map((node) => ({ node: { type: "TSTypeAliasDeclaration", typeAnnotation: node }, scopes }));
  return checkDeclared(value, declared, at, passed);
}
