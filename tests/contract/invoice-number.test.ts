import { expect, test } from "vitest";
import { isInvoiceNumber, readIssuerNumber } from "../../workers/contract/invoice-number.ts";
import { includedTax } from "../../workers/contract/tax.ts";

test.each([
  // The National Tax Agency's own number.
  ["T7000012050002", true],
  // Accepted although a company's check digit would be wrong: no rule is published for sole traders.
  ["T8000012050002", true],
  ["7000012050002", false],
  ["t7000012050002", false],
  ["T700001205000", false],
  ["T70000120500022", false],
  ["T７０００012050002", false],
])("%s is a registration number: %s", (text, is_number) => {
  expect(isInvoiceNumber(text)).toBe(is_number);
});

test.each([
  ['{"invoice_number":"T7000012050002"}', "T7000012050002"],
  ['{"company_name":"運営"}', null],
  ['{"invoice_number":"7000012050002"}', null],
  ['{"invoice_number":7}', null],
  ["null", null],
  ["", null],
])("the operator's number in %j is %j", (site, number) => {
  expect(readIssuerNumber(site)).toBe(number);
});

test.each([
  [1100, 100],
  [550, 50],
  [100, 9],
  [10, 0],
  [11_000, 1000],
  // A refund takes back what the payment had.
  [-550, -50],
  [-100, -9],
  [0, 0],
])("of %i yen with tax, %i yen are tax", (amount, tax) => {
  expect(includedTax(amount)).toBe(tax);
});
