import { sql } from "kysely";
import type { Domain } from "../domain.ts";
import { deleteByKey, type Erasure, type ExportProfile, whereLeaver } from "../storage/personal-data.ts";

export const erasures: Erasure[] = [deleteByKey("creator_accounts", ["user_id"], whereLeaver("user_id"))];

export const exports: Domain["exports"] = {
  payouts: {
    select: (me, after, limit) => sql`SELECT payout_id AS key, json_object('payout_id', payout_id, 'amount', amount,
        'bank_fee', bank_fee, 'status', status, 'failure_reason', failure_reason, 'bank_code', bank_code,
        'bank_name', bank_name, 'branch_code', branch_code, 'branch_name', branch_name,
        'account_number_last3', account_number_last3, 'automatic_month', automatic_month, 'created_at', created_at,
        'arrives_at', arrives_at, 'ended_at', ended_at) AS item
      FROM payouts WHERE user_id = ${me} AND payout_id > ${after ?? ""} ORDER BY payout_id ${limit}`,
  },
};

export const exportProfile: ExportProfile = (me) => sql`SELECT json_object('creator_account',
    (SELECT json_object('account_type', account_type, 'tos_accepted', tos_accepted, 'payouts_enabled', payouts_enabled,
      'identity_verification', identity_verification, 'automatic_since', automatic_since, 'invoice_number', invoice_number, 'created_at', created_at)
    FROM creator_accounts WHERE user_id = ${me})) AS item`;
