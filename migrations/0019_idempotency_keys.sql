CREATE TABLE "idempotency_keys" (
	"user_id" text NOT NULL,
	"token_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"answer" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_user_id_token_id_key_pk" PRIMARY KEY("user_id","token_id","key")
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_token_fk" FOREIGN KEY ("user_id","token_id") REFERENCES "public"."tokens"("user_id","token_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING brin ("created_at");