import { execFileSync } from "node:child_process";

/** Writes a certificate of a host and its key, which end in 30 days. */
export function writeCertificate(host: string, files: { certificate_file: string; key_file: string }): void {
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"],
      ...["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`],
      ...["-out", files.certificate_file, "-keyout", files.key_file],
    ],
    { stdio: "pipe" },
  );
}
