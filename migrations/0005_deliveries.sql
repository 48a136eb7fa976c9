CREATE TABLE "webhook_attempts" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"attempted_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" integer,
	"error" text,
	"answer" text NOT NULL,
	"ended" text,
	CONSTRAINT "webhook_attempts_user_id_webhook_id_seq_attempt_pk" PRIMARY KEY("user_id","webhook_id","seq","attempt")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"seq" bigint NOT NULL,
	"event_id" text NOT NULL,
	"type" text NOT NULL,
	"attempt" integer NOT NULL,
	"attempts_before" integer NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL,
	"claim_id" text,
	"lease_until" timestamp (3) with time zone,
	CONSTRAINT "webhook_deliveries_user_id_webhook_id_seq_pk" PRIMARY KEY("user_id","webhook_id","seq")
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
CREATE TABLE "webhook_queue" (
	"user_id" text NOT NULL,
	"webhook_id" text NOT NULL,
	"next_due" timestamp (3) with time zone,
	"paused_until" timestamp (3) with time zone,
	CONSTRAINT "webhook_queue_user_id_webhook_id_pk" PRIMARY KEY("user_id","webhook_id")
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0);
--> statement-breakpoint
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_webhook_fk" FOREIGN KEY ("user_id","webhook_id") REFERENCES "public"."webhooks"("user_id","webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_fk" FOREIGN KEY ("user_id","webhook_id") REFERENCES "public"."webhooks"("user_id","webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_queue" ADD CONSTRAINT "webhook_queue_webhook_fk" FOREIGN KEY ("user_id","webhook_id") REFERENCES "public"."webhooks"("user_id","webhook_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhook_attempts_ended" ON "webhook_attempts" USING btree ("user_id","webhook_id","ended","seq") WHERE ended is not null;--> statement-breakpoint
CREATE INDEX "webhook_attempts_age" ON "webhook_attempts" USING brin ("attempted_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_waiting" ON "webhook_deliveries" USING btree ("user_id","webhook_id","next_at","seq") WHERE claim_id is null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_claimed" ON "webhook_deliveries" USING btree ("user_id","webhook_id") WHERE claim_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_leased" ON "webhook_deliveries" USING btree ("lease_until") WHERE claim_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_queue_due" ON "webhook_queue" USING btree ("next_due");