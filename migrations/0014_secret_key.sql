CREATE TABLE "secret_key_checks" (
	"name" text PRIMARY KEY NOT NULL,
	"encrypted" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
